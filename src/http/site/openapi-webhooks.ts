/** What is posted to webhooks, for the OpenAPI document. */

import { EventRecord } from '../api/events/schemas.ts'
import { reference } from './named-schemas.ts'

/** An event as it is listed; or the one that a test posts. */
const posted = { anyOf: [reference(EventRecord), reference({ title: 'TestEvent' })] }

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

export const postedToWebhooks = {
  event: {
    post: {
      operationId: 'event',
      summary: 'Something happened',
      description:
        'Posted to every webhook that subscribes to it, signed as described by Standard Webhooks. Delivery is at least once: deduplicate by `webhook-id`. Answer with any 2xx within 15 seconds; 410 ends the webhook.',
      // It is signed, not authorised.
      security: [],
      parameters: [
        header('webhook-id', 'The id of the event; the same however often it is told.'),
        header('webhook-timestamp', 'When it was posted, in Unix seconds.'),
        header('webhook-signature', 'One signature for each valid secret: `v1,` and base64.'),
      ],
      requestBody: { required: true, content: { 'application/json': { schema: posted } } },
      responses: { '2XX': { description: 'It was taken.' } },
    },
  },
}

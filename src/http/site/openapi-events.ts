/** What the data of each event is, for the OpenAPI document. The gateway itself writes it out as it is. */

import { type EventType, eventTypes } from '../../core/events/event.ts'
import { Device } from '../api/devices/schemas.ts'
import { EventRecord } from '../api/events/schemas.ts'
import { MessageRecord } from '../api/messages/schemas.ts'
import { ReceivedMessage } from '../api/shapes.ts'
import { NamedSchemas } from './named-schemas.ts'

type Json = Record<string, unknown>
export type Document = Json & { components: Json & { schemas: Record<string, Json> } }

/** More may come with each, such as `reaction` and `edited_message`. */
const open = (schema: object, title: string): object => ({ ...schema, title, additionalProperties: true })

type Variant = { title: string; data: object; types: readonly (EventType | 'webhook.test')[] }

const isAbout = (subject: RegExp) => eventTypes.filter(type => subject.test(type))
const ofReceived = isAbout(/^(message\.received$|received\.)/)
const variants: readonly Variant[] = [
  {
    title: 'MessageEvent',
    data: open(MessageRecord, 'MessageEventData'),
    types: isAbout(/^message\./).filter(type => !ofReceived.includes(type)),
  },
  { title: 'ReceivedEvent', data: open(ReceivedMessage, 'ReceivedEventData'), types: ofReceived },
  { title: 'DeviceEvent', data: open(Device, 'DeviceEventData'), types: isAbout(/^device\./) },
  {
    title: 'OtherEvent',
    data: { type: 'object', additionalProperties: true, description: 'What the type says.' },
    types: isAbout(/^(webhook|person)\./),
  },
]
/** What a test of a webhook posts. It is in no list. */
const test: Variant = { ...variants.at(-1)!, title: 'TestEvent', types: ['webhook.test'] }

/** The same document, with the data of every event described by its type. */
export function describeEvents(document: Document): Document {
  const named = new NamedSchemas()
  for (const { title, data, types } of [...variants, test]) {
    const { type, ...rest } = EventRecord.properties
    named.collect({
      ...EventRecord,
      title,
      properties: { ...rest, type: { ...type, enum: types }, data },
    })
  }
  const schemas = {
    ...document.components.schemas,
    ...named.all(),
    Event: {
      title: 'Event',
      anyOf: variants.map(({ title }) => ({ $ref: `#/components/schemas/${title}` })),
    },
  }
  return { ...document, components: { ...document.components, schemas } }
}

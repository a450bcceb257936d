/** What the data of each event is, for the OpenAPI document. The gateway itself writes it out as it is. */

import { Device } from '../api/devices/schemas.ts'
import { MessageRecord } from '../api/messages/schemas.ts'
import { ReceivedMessage } from '../api/shapes.ts'

type Json = Record<string, unknown>

/** By name, for whoever reads the document. */
export const eventSubjects = {
  Message: MessageRecord,
  ReceivedMessage,
  Device: { ...Device, title: 'Device' },
}

/** More may come with it, such as `reaction` and `edited_message`. */
const open = (name: keyof typeof eventSubjects) => ({
  allOf: [{ $ref: `#/components/schemas/Open${name}` }],
})

export const openSubjects = Object.fromEntries(
  Object.entries(eventSubjects).map(([name, schema]) => [
    `Open${name}`,
    { ...schema, title: `Open${name}`, additionalProperties: true },
  ]),
)

const data = {
  description:
    'What it is about, in full. `message.received` and `received.*`: a received message; other `message.*`: a message; `device.*`: a device; the rest: what the type says.',
  anyOf: [open('Message'), open('ReceivedMessage'), open('Device'), { type: 'object' }],
}

/** The same document, with the data of every event described. */
export function describeEvents<Document>(document: Document): Document {
  return JSON.parse(JSON.stringify(document), (_name, value: unknown) =>
    isEvent(value) ? typed(value) : value,
  )
}

function isEvent(value: unknown): value is { properties: Json } {
  const { properties } = (value ?? {}) as {
    properties?: { data?: unknown; sequence?: unknown; type?: { enum?: string[] } }
  }
  return properties?.data !== undefined && properties.type?.enum?.includes('message.received') === true
}

const typed = (event: { properties: Json }) => ({ ...event, properties: { ...event.properties, data } })

/** Identifiers as they come from clients. */

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a lower-case text is a UUID. */
export const isUuid = (text: string): boolean => form.test(text)

/** UUIDs are the same in either case; ours are lower-case. The draft is a copy the caller may change. */
export function lowerCaseDevice<T extends { device_id?: string }>(body: T): T {
  return body.device_id === undefined ? { ...body } : { ...body, device_id: body.device_id.toLowerCase() }
}

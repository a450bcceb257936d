/** Identifiers as they come from clients. */

/** UUIDs are the same in either case; ours are lower-case. The draft is a copy the caller may change. */
export function lowerCaseDevice<T extends { device_id?: string }>(body: T): T {
  return body.device_id === undefined ? { ...body } : { ...body, device_id: body.device_id.toLowerCase() }
}

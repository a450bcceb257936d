/** Where a list goes on. What is in a cursor is our own affair. */

import { invalid } from '../../core/problem.ts'

export const cursorOf = (place: unknown): string => Buffer.from(JSON.stringify(place)).toString('base64url')

/** What the cursor holds, if `isPlace` knows it. */
export function placeOf<Place>(
  cursor: string | undefined,
  isPlace: (place: unknown) => place is Place,
): Place | undefined {
  if (cursor === undefined) return undefined
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (isPlace(place)) return place
  } catch {
    // Not ours, like any other that does not fit.
  }
  throw invalid('/cursor', 'cursor must be the next_cursor of another page.')
}

export const isNumber = (place: unknown): place is number => Number.isSafeInteger(place)

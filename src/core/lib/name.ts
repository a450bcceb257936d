/** What people call a thing of theirs: a device, a key. */

import { invalid } from '../problem.ts'

export const longestName = 100

export function nameOf(given: string): string {
  const name = given.trim()
  if (name === '') throw invalid('/name', 'name must not be empty.')
  // As the schemas count: an emoji is one.
  if ([...name].length > longestName)
    throw invalid('/name', `name may have at most ${longestName} characters.`)
  return name
}

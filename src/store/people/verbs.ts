/** What the store does about people who want no messages, and forgetting. */

import type { PeopleStore } from '../../core/people/people-store.ts'
import type { Ground } from '../engine/ground.ts'
import { noteRemoved, removedFiles } from '../files/removed-files.ts'
import { erase, noteErased } from './erasure.ts'
import * as people from './opt-outs.ts'
import { forgetTexts, removeOld } from './retention.ts'

export function peopleVerbs({ reader, run, write }: Ground): PeopleStore {
  return {
    optOut: (environmentId, number, source, keep) =>
      run(people.optOut, { environmentId, number, source }, keep),
    sameOptOut: (environmentId, number, alias) => run(people.sameOptOut, { environmentId, number, alias }),
    optIn: (environmentId, number) => run(people.optIn, { environmentId, number }),
    optOuts: (environmentId, page) => people.optOuts(reader, environmentId, page),
    optedOut: async (environmentId, numbers) => {
      const places = await people.optedOut(
        reader,
        numbers.map(number => ({ environmentId, number })),
      )
      return new Set(numbers.filter((_, place) => places.has(place)))
    },
    erase: write(erase),
    noteErased: (environmentId, counts) => run(noteErased, { environmentId, counts }),
    forgetTexts: write(forgetTexts),
    removeOld: write(removeOld),
    removedFiles: limit => removedFiles(reader, limit),
    noteRemoved: write(noteRemoved),
  }
}

/** Who wants no messages, and whom to forget. */

import { isoTime } from '../../../core/lib/time.ts'
import type { Erasure } from '../../../core/people/erasure.ts'
import { personOf } from '../../../core/people/number.ts'
import type { OptOut } from '../../../core/people/opt-out.ts'
import { Problem } from '../../../core/problem.ts'
import type { Store } from '../../../core/store.ts'
import { cursorOf, placeOf } from '../cursor.ts'
import { numberOf } from '../query.ts'
import type { Action } from '../route.ts'
import type {
  ErasedResponse,
  OptInResponse,
  OptOutRequest,
  OptOutResponse,
  OptOutsQuery,
  OptOutsResponse,
} from './schemas.ts'

const usualLimit = 25

const shown = ({ number, source, createdAt }: OptOut) => ({ number, source, created_at: isoTime(createdAt) })

type Place = [createdAt: number, digest: string]
const isPlace = (place: unknown): place is Place =>
  Array.isArray(place) && Number.isSafeInteger(place[0]) && /^[\w-]{1,100}$/.test(String(place[1]))

export const optOuts =
  (store: Pick<Store, 'optOuts'>): Action<OptOutsResponse> =>
  async ({ environment, query }) => {
    const { number, cursor, limit = usualLimit } = query as OptOutsQuery
    const [createdAt, digest] = placeOf(cursor, isPlace) ?? []
    const found = await store.optOuts(environment.id, {
      limit: limit + 1,
      ...(createdAt !== undefined && { before: { createdAt, digest: digest! } }),
      ...(number !== undefined && { number: numberOf('number', number) }),
    })
    const items = found.slice(0, limit)
    const last = items.at(-1)
    const next = found.length > limit && last ? cursorOf([last.createdAt, last.digest]) : null
    return { success: true, data: items.map(shown), next_cursor: next }
  }

export const optOut =
  (store: Pick<Store, 'optOut'>): Action<OptOutResponse> =>
  async ({ environment, body, keep }) => {
    const answer = (one: OptOut): OptOutResponse => ({ success: true, data: shown(one) })
    const number = numberOf('number', (body as OptOutRequest).number)
    return answer(await store.optOut(environment.id, number, 'api', keep(answer)))
  }

export const optIn =
  (store: Pick<Store, 'optIn'>): Action<OptInResponse> =>
  async ({ environment, params }) => {
    const number = numberOf('number', params.number!)
    if (!(await store.optIn(environment.id, number)))
      throw new Problem('opt_out_not_found', 'This number has not opted out.')
    return { success: true, data: { number } }
  }

export const erase =
  (erasure: Pick<Erasure, 'erase'>): Action<ErasedResponse> =>
  async ({ environment, params }) => ({
    success: true,
    data: await erasure.erase(environment, personOf(params.number!) ?? numberOf('number', params.number!)),
  })

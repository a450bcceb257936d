/** The shapes of an environment's settings. */

import { validityMs } from '../../../core/messages/message.ts'
import { type Static, Type } from '../../schema.ts'
import { closed, words } from '../shapes.ts'

const numberCheck = words(
  ['shape', 'plan'],
  'shape: any number that looks international. plan: it must also exist in the numbering plans.',
)
const wordList = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 500, description })
const days = (least: number, description: string) =>
  Type.Union([Type.Integer({ minimum: least, maximum: 36_500 }), Type.Null()], { description })
const settingFields = {
  number_check: numberCheck,
  default_ttl: Type.Integer({
    minimum: validityMs.least / 1_000,
    maximum: validityMs.most / 1_000,
    description: 'Seconds that a message may wait for a device when it has no ttl of its own.',
  }),
  opt_out_words: wordList(
    'A received text that is one of these opts its sender out. The usual words in ten languages.',
  ),
  opt_in_words: wordList('A received text that is one of these opts its sender in again.'),
  forget_texts_after_days: days(
    1,
    'After so many days the texts and files of messages are forgotten; null: never.',
  ),
  remove_after_days: days(7, 'After so many days messages are removed altogether; null: never.'),
}
/** Null: the usual ones again. */
const orUsual = (list: ReturnType<typeof wordList>) => Type.Union([list, Type.Null()])

export const SettingsRequest = Type.Object(
  {
    number_check: Type.Optional(settingFields.number_check),
    default_ttl: Type.Optional(
      Type.Union([settingFields.default_ttl, Type.Null()], { description: 'Null: 24 hours, as usual.' }),
    ),
    opt_out_words: Type.Optional(orUsual(settingFields.opt_out_words)),
    opt_in_words: Type.Optional(orUsual(settingFields.opt_in_words)),
    forget_texts_after_days: Type.Optional(settingFields.forget_texts_after_days),
    remove_after_days: Type.Optional(settingFields.remove_after_days),
  },
  { ...closed, title: 'SettingsRequest' },
)
export type SettingsRequest = Static<typeof SettingsRequest>
export const SettingsResponse = Type.Object(
  { success: Type.Boolean(), data: Type.Object(settingFields, { ...closed, title: 'Settings' }) },
  { ...closed, title: 'SettingsResponse' },
)
export type SettingsResponse = Static<typeof SettingsResponse>

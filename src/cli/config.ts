/** basestation config: every setting and limit, its value and where that came from. */

import { describeConfig } from '../config.ts'
import { limits } from '../core/limits.ts'
import type { Command } from './command.ts'
import { table } from './output.ts'

export const config: Command = {
  name: 'config',
  about: 'Show every setting and limit, its value and where it came from',
  more: 'Settings are environment variables. A secret NAME is also read from the file that NAME_FILE names.',
  async run({ environment, output }) {
    const settings = describeConfig(environment)
    const fixed = Object.entries(limits).map(([name, { value, unit, why }]) => ({
      name: `limit ${name}`,
      value: `${value} ${unit}`,
      source: 'fixed' as const,
      about: why,
    }))
    const rows = [...settings, ...fixed]
    output.show(rows, () => table(rows, ['name', 'value', 'source', 'about'], ''))
    return undefined
  },
}

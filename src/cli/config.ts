/** basestation config: every setting, its value and where that came from. */

import { describeConfig } from '../config.ts'
import type { Command } from './command.ts'
import { table } from './output.ts'

export const config: Command = {
  name: 'config',
  about: 'Show every setting, its value and where it came from',
  more: 'Settings are environment variables. A secret NAME is also read from the file that NAME_FILE names.',
  async run({ environment, output }) {
    const settings = describeConfig(environment)
    output.show(settings, () => table(settings, ['name', 'value', 'source', 'about'], ''))
    return undefined
  },
}

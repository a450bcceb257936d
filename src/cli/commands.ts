/** Every command, in the order in which they are listed. */

import { backupCommands } from './backup.ts'
import { cancel } from './cancel.ts'
import type { Command } from './command.ts'
import { config } from './config.ts'
import { deviceCommands } from './devices.ts'
import { doctor } from './doctor.ts'
import { held } from './held.ts'
import { inbox } from './inbox.ts'
import { keyCommands } from './keys.ts'
import { link } from './link.ts'
import { migrate } from './migrate.ts'
import { peopleCommands } from './people.ts'
import { secretCommands } from './secrets.ts'
import { send } from './send.ts'
import { serve } from './serve.ts'
import { simulate } from './simulate.ts'
import { status } from './status.ts'
import { userCommands } from './users.ts'
import { webhookCommands } from './webhooks.ts'

export const commands: readonly Command[] = [
  serve,
  ...userCommands,
  ...keyCommands,
  ...deviceCommands,
  link,
  send,
  status,
  cancel,
  inbox,
  ...webhookCommands,
  ...peopleCommands,
  simulate,
  config,
  migrate,
  doctor,
  ...backupCommands,
  ...secretCommands,
  held,
]

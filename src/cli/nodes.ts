/** basestation nodes: the gateways that work on one database. */

import { drainById } from '../core/nodes/drain.ts'
import { shownNode } from '../core/wire/node.ts'
import type { Command } from './command.ts'
import { table } from './output.ts'
import { withStore } from './with-store.ts'

const columns = ['id', 'host', 'version', 'status', 'lag', 'links', 'webhooks', 'loops']

const list: Command = {
  name: 'nodes list',
  about: 'List the gateways on this database, and what each of them holds',
  run: context =>
    withStore(context, async store => {
      const [nodes, leases] = await Promise.all([store.nodes(), store.leases()])
      const shown = nodes.map(node => shownNode(node, leases, store.now()))
      context.output.show(shown, () =>
        table(
          shown.map(({ lag_seconds: lag, runs_loops: loops, ...node }) => ({
            ...node,
            lag: `${lag} s`,
            loops: loops ? 'yes' : '',
          })),
          columns,
          'No gateway is running on this database.',
        ),
      )
      return undefined
    }),
}

const drain: Command = {
  name: 'nodes drain',
  about: 'Ask a gateway to hand over what it holds, before it is stopped',
  words: ['ID'],
  more: 'It goes on answering requests, and /readyz says that it is not ready. Stop it when nodes list shows that it holds\nnothing. It stays like this until it is restarted.',
  run: context =>
    withStore(context, async store => {
      const [id = ''] = context.given.words
      await drainById(store, id)
      context.output.show({ id, status: 'draining' }, () => `${id} hands over what it holds.`)
      return undefined
    }),
}

export const nodeCommands: readonly Command[] = [list, drain]

/** Which index SQLite takes for what is asked all the time: the wrong one would read a device's whole past. */

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openStore } from '../src/store/open.ts'
import { emptySqlite } from './standins/databases.ts'

const frequent = {
  messages_queued: `SELECT seq FROM messages
    WHERE device_id = ? AND status = 'queued' AND held = 0 AND expires_at > ? ORDER BY seq LIMIT 10`,
  messages_sending: `SELECT seq FROM messages
    WHERE device_id = ? AND status = 'sending' AND held = 0 AND seq > ? ORDER BY seq LIMIT 10`,
  messages_scheduled: `SELECT due_at FROM messages WHERE status = 'scheduled' AND held = 0 ORDER BY due_at LIMIT 1`,
  messages_device: `SELECT seq FROM messages
    WHERE device_id = ? AND environment_id = ? AND seq >= ? AND seq < ? ORDER BY seq DESC LIMIT 10`,
  messages_rare: `SELECT seq FROM messages
    WHERE environment_id = ? AND status IN ('scheduled', 'failed', 'expired', 'canceled', 'unknown')
      AND status = 'failed' AND seq >= ? AND seq < ? ORDER BY seq DESC LIMIT 10`,
  deliveries_due: `SELECT event_seq FROM deliveries
    WHERE webhook_id = ? AND due_at IS NOT NULL AND due_at <= ? ORDER BY due_at LIMIT 10`,
}

test('what is asked all the time is found by its own index, without sorting', async () => {
  const url = await emptySqlite()
  await (await openStore(url, { now: Date.now })).close()
  const database = new DatabaseSync(url.slice('sqlite:'.length))
  for (const [index, query] of Object.entries(frequent)) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${query}`).all() as { detail: string }[]
    const details = plan.map(({ detail }) => detail).join('; ')
    assert.match(details, new RegExp(`USING (COVERING )?INDEX ${index}\\b`), details)
    assert.doesNotMatch(details, /TEMP B-TREE/, details)
  }
  database.close()
})

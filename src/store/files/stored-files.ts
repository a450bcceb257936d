/** Files in the database. */

import { type Sql, sql } from '../engine/sql.ts'
import { each, type Verb } from '../engine/verb.ts'

type Part = { token: string; n: number; content: string }

export const writePart: Verb<Part, void> = each((tx, { token, n, content }) => {
  tx.write(sql`
    INSERT INTO file_parts (token, n, content, written_at) VALUES (${token}, ${n}, ${content}, ${tx.now})`)
})

export const finishFile: Verb<{ id: string; token: string; size: number }, void> = each(
  (tx, { id, token, size }) => {
    tx.write(sql`DELETE FROM file_parts WHERE token = (SELECT token FROM stored_files WHERE id = ${id})`)
    tx.write(sql`
      INSERT INTO stored_files (id, token, size) VALUES (${id}, ${token}, ${size})
      ON CONFLICT (id) DO UPDATE SET token = excluded.token, size = excluded.size`)
  },
)

export const removeFile: Verb<string, void> = each((tx, id) => {
  tx.write(sql`DELETE FROM file_parts WHERE token = (SELECT token FROM stored_files WHERE id = ${id})`)
  tx.write(sql`DELETE FROM stored_files WHERE id = ${id}`)
})

export const forgetParts: Verb<number, void> = each((tx, before) => {
  tx.write(sql`
    DELETE FROM file_parts WHERE written_at < ${before}
      AND NOT EXISTS (SELECT 1 FROM stored_files WHERE stored_files.token = file_parts.token)`)
})

export async function storedFile(
  connection: Sql,
  id: string,
): Promise<{ token: string; size: number } | undefined> {
  const [row] = await connection.all<{ token: string; size: number }>(
    sql`SELECT token, size FROM stored_files WHERE id = ${id}`,
  )
  return row
}

export async function filePart(connection: Sql, token: string, n: number): Promise<string | undefined> {
  const [row] = await connection.all<{ content: string }>(
    sql`SELECT content FROM file_parts WHERE token = ${token} AND n = ${n}`,
  )
  return row?.content
}

export async function storedBytes(connection: Sql): Promise<number> {
  const [row] = await connection.all<{ bytes: number | null }>(
    sql`SELECT CAST(SUM(size) AS BIGINT) AS bytes FROM stored_files`,
  )
  return row?.bytes ?? 0
}

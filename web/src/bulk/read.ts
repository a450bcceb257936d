/** Reads what people paste, or the file they give: lines, or a table with or without a heading. */

import Papa from 'papaparse'
import { normalise, type Table } from './list.ts'

export const mostRows = 100_000

export function readTable(text: string): Table {
  const { data } = Papa.parse<string[]>(text.replace(/^\ufeff/, ''), { skipEmptyLines: 'greedy' })
  const [first = [], ...rest] = data
  // Somebody's number is no heading.
  const hasHeading = data.length > 1 && !first.some(cell => normalise(cell) !== undefined)
  const width = data.reduce((most, row) => Math.max(most, row.length), 1)
  const columns = Array.from({ length: width }, (_, index) =>
    hasHeading ? (first[index]?.trim() ?? '') || `column ${index + 1}` : `column ${index + 1}`,
  )
  return { columns, rows: hasHeading ? rest : data }
}

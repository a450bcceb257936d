/** Reads what people paste, or the file they give: lines, or a table with or without a heading. */

import Papa from 'papaparse'
import { normalise, type Table } from './list.ts'

export const mostRows = 100_000

export function readTable(text: string): Table {
  const { data } = Papa.parse<string[]>(text.replace(/^\ufeff/, ''))
  // Told by the places they have in the file, where people will look for them; empty ones are passed over.
  const numbered = data
    .map((cells, index) => ({ cells, line: index + 1 }))
    .filter(({ cells }) => cells.some(cell => cell.trim() !== ''))
  const [first] = numbered
  // Somebody's number is no heading.
  const hasHeading = numbered.length > 1 && !first!.cells.some(cell => normalise(cell) !== undefined)
  const width = numbered.reduce((most, { cells }) => Math.max(most, cells.length), 1)
  const columns = Array.from({ length: width }, (_, index) =>
    hasHeading ? (first!.cells[index]?.trim() ?? '') || `column ${index + 1}` : `column ${index + 1}`,
  )
  const rows = hasHeading ? numbered.slice(1) : numbered
  return { columns, rows: rows.map(({ cells }) => cells), lines: rows.map(({ line }) => line) }
}

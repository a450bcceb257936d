/** Rows under their headings; what is too wide scrolls by itself. */

import type { ReactNode } from 'react'

type Head = string | { text: string; isNumber?: boolean; isHidden?: boolean }

/** Over the column of buttons: only those who hear the page need its name. */
export const actions: Head = { text: 'Actions', isHidden: true }
export const number = (text: string): Head => ({ text, isNumber: true })

type Props = { heads: readonly Head[]; look?: string; children: ReactNode }

export const DataTable = ({ heads, look, children }: Props) => (
  <div className="table-wrap">
    <table className={look === undefined ? 'table' : `table ${look}`}>
      <thead>
        <tr>
          {heads.map(head => {
            const {
              text,
              isNumber = false,
              isHidden = false,
            } = typeof head === 'string' ? { text: head } : head
            return (
              <th key={text} className={isNumber ? 'number' : undefined}>
                {isHidden ? <span className="hidden-visually">{text}</span> : text}
              </th>
            )
          })}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
)

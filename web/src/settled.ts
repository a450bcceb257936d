/** A value once it has not changed for a moment: what is asked of the gateway while somebody types. */

import { useEffect, useState } from 'react'

const settleMs = 200

export function useSettled<Value>(value: Value): Value {
  const written = JSON.stringify(value)
  const [settled, setSettled] = useState(written)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(written), settleMs)
    return () => clearTimeout(timer)
  }, [written])
  return JSON.parse(settled) as Value
}

/** A QR code: dark squares on white in both themes, because cameras want it so. */

import { encode } from 'uqr'

export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'L', border: 2 })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <div className="qr">
      <svg viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges" role="img" aria-label={label}>
        <path d={path} fill="#000" />
      </svg>
    </div>
  )
}

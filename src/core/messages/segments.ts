/** How a text becomes SMS segments. */

const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** Sent as an escape and a second character, so each costs two. */
const extended = new Set('\f^{}\\[~]|€')

export type Measure = {
  encoding: 'GSM-7' | 'UCS-2'
  segments: number
  /** The first character that GSM-7 does not have, which made the whole text UCS-2. */
  culprit?: string
}

export function measure(text: string): Measure {
  // Plain ASCII letters, digits and the commonest signs are one unit each: most texts end here.
  if (text.length <= 160 && /^[\w !"#%&'()*+,\-./:;<=>?\n\r]*$/.test(text))
    return { encoding: 'GSM-7', segments: 1 }
  const widths: number[] = []
  for (const character of text) {
    if (basic.has(character)) widths.push(1)
    else if (extended.has(character)) widths.push(2)
    else return { encoding: 'UCS-2', segments: pack(unitsOf(text), 70, 67), culprit: character }
  }
  return { encoding: 'GSM-7', segments: pack(widths, 160, 153) }
}

/** A surrogate pair is one character of two units: it is never split over two segments. */
function unitsOf(text: string): number[] {
  return Array.from(text, character => character.length)
}

/** Characters are indivisible: one that does not fit at the end of a segment starts the next. */
function pack(widths: readonly number[], whenAlone: number, whenSplit: number): number {
  const total = widths.reduce((sum, width) => sum + width, 0)
  if (total <= whenAlone) return 1
  let segments = 1
  let used = 0
  for (const width of widths) {
    if (used + width > whenSplit) {
      segments += 1
      used = 0
    }
    used += width
  }
  return segments
}

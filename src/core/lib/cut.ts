/** The first characters of a text, without half of one at the end. */
export const cut = (text: string, most: number): string => {
  const end = text.charCodeAt(most - 1)
  const isHalf = text.length > most && end >= 0xd800 && end <= 0xdbff
  return text.slice(0, isHalf ? most - 1 : most)
}

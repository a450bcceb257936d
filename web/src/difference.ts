/** What somebody changed, and nothing else: the rest may have been changed by others meanwhile. */

export function differenceOf<Shape extends object>(
  was: Shape,
  wanted: Partial<Shape>,
): { before: Partial<Shape>; after: Partial<Shape> } {
  const names = (Object.keys(wanted) as (keyof Shape)[]).filter(
    name => JSON.stringify(was[name]) !== JSON.stringify(wanted[name]),
  )
  const only = (from: Partial<Shape>) =>
    Object.fromEntries(names.map(name => [name, from[name]])) as Partial<Shape>
  return { before: only(was), after: only(wanted) }
}

/** Many pieces of work, some at a time. */

/** Does a piece of work for each number below `count`, so many at once. */
export async function inParallel(
  count: number,
  atOnce: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) {
      next += 1
      await work(next - 1)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker))
}

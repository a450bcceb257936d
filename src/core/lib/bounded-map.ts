/** A map that forgets: with more than `most` entries, the one that was set longest ago goes. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  override set(key: Key, value: Value): this {
    // Taken out and put back at the end, so that the first is the oldest.
    this.delete(key)
    super.set(key, value)
    if (this.size > this.#most) this.delete(this.keys().next().value!)
    return this
  }
}

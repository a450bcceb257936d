/** There is no room for a file. Texts, which need next to none, go on. */
export class NoRoom extends Error {
  /** As it is told in `metadata.media_missing_because`. */
  static readonly reason = 'no_room'
}

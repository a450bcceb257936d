/** There already, or soon. Reads of SQLite are there at once. */
export type Awaitable<T> = T | Promise<T>

/** Somebody with a browser, without the browser: keeps the cookies, and says where requests come from. */

import type { Answer } from './gateway.ts'

export class Visitor {
  readonly #url: string
  readonly #cookies = new Map<string, string>()

  constructor(url: string) {
    this.#url = url
  }

  /** The session, as the browser sends it. */
  get cookie(): string {
    const session = [...this.#cookies].find(([name]) => name.endsWith('basestation'))
    return session ? session.join('=') : ''
  }

  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        'sec-fetch-site': 'same-origin',
        ...(this.#cookies.size > 0 && { cookie: [...this.#cookies].map(pair => pair.join('=')).join('; ') }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!
      if (value === '') this.#cookies.delete(name!)
      else this.#cookies.set(name!, value!)
    }
    const text = await response.text()
    const json = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined
    return { status: response.status, headers: response.headers, body: json, text }
  }
}

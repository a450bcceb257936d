/** Somebody with a browser, without the browser: keeps the cookie, and says where requests come from. */

import type { Answer } from './gateway.ts'

export class Visitor {
  readonly #url: string
  cookie = ''

  constructor(url: string) {
    this.#url = url
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
        ...(this.cookie !== '' && { cookie: this.cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const [set] = response.headers.getSetCookie()
    if (set !== undefined) this.cookie = set.split(';')[0]!
    const text = await response.text()
    const json = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined
    return { status: response.status, headers: response.headers, body: json, text }
  }
}

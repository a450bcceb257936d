/** What a client asks the server when it logs in and before it writes to somebody. */

import {
  type BinaryNode,
  getBinaryNodeChildBuffer as bytesOf,
  getBinaryNodeChild as childOf,
  getBinaryNodeChildren as childrenOf,
  jidDecode,
  getBinaryNodeChildUInt as uintOf,
} from 'baileys'
import type { Companion, Party } from './party.ts'

const host = '@s.whatsapp.net'

export class Queries {
  readonly #party: (jid: string) => Party | undefined

  readonly #mediaHost: () => string

  constructor(party: (jid: string) => Party | undefined, mediaHost: () => string) {
    this.#party = party
    this.#mediaHost = mediaHost
  }

  answer({ companion }: { companion?: Companion }, node: BinaryNode): BinaryNode[] | undefined {
    const { xmlns, type } = node.attrs
    switch (xmlns) {
      case 'encrypt':
        return type === 'get' ? this.#keys(companion!, node) : keep(companion!, node)
      case 'abt':
        return [
          {
            tag: 'props',
            attrs: { hash: 'h1', protocol: '1' },
            content: [{ tag: 'prop', attrs: { config_code: '1', config_value: '1' } }],
          },
        ]
      case 'blocklist':
        return [{ tag: 'list', attrs: {}, content: [] }]
      case 'privacy':
        return type === 'get'
          ? [
              {
                tag: 'privacy',
                attrs: {},
                content: [{ tag: 'category', attrs: { name: 'readreceipts', value: 'all' } }],
              },
            ]
          : [{ tag: 'tokens', attrs: {}, content: [] }]
      case 'w:sync:app:state':
        return [{ tag: 'sync', attrs: {}, content: collections(node) }]
      case 'w:m':
        return [mediaConnection(this.#mediaHost())]
      case 'usync':
        return this.#users(childOf(node, 'usync')!)
      default:
        return undefined
    }
  }

  #keys(companion: Companion, node: BinaryNode): BinaryNode[] | undefined {
    if (childOf(node, 'count'))
      return [{ tag: 'count', attrs: { value: String(companion.oneTimeKeys.size) } }]
    if (childOf(node, 'digest'))
      return companion.signedKey ? [{ tag: 'digest', attrs: {}, content: [] }] : undefined
    const users = childrenOf(childOf(node, 'key'), 'user').map(({ attrs }) => {
      const jid = attrs.jid!
      const party = this.#party(jid)
      const unknown = !party || (jidDecode(jid)?.device ?? 0) !== 0
      const error = { tag: 'error', attrs: { code: '404', text: 'item-not-found' } }
      return { tag: 'user', attrs: { jid }, content: unknown ? [error] : party.bundle() }
    })
    return [{ tag: 'list', attrs: {}, content: users }]
  }

  /** Who somebody is: whether they are on WhatsApp, their devices, their other name. */
  #users(query: BinaryNode): BinaryNode[] {
    const wanted = (childOf(query, 'query')!.content as BinaryNode[]).map(({ tag }) => tag)
    const content = childrenOf(childOf(query, 'list'), 'user').map(user => {
      const asked = childOf(user, 'contact')?.content
      const phone = typeof asked === 'string' ? asked : Buffer.from((asked as Uint8Array) ?? []).toString()
      const jid = user.attrs.jid ?? `${phone.replace('+', '')}${host}`
      const party = this.#party(jid)
      const here = party?.exists === true
      const found: BinaryNode[] = []
      if (wanted.includes('contact')) found.push({ tag: 'contact', attrs: { type: here ? 'in' : 'out' } })
      if (here && wanted.includes('devices')) found.push(devicesOf(party))
      if (here && wanted.includes('lid')) found.push({ tag: 'lid', attrs: { val: party.lidJid } })
      return { tag: 'user', attrs: { jid }, content: found }
    })
    const list: BinaryNode = { tag: 'list', attrs: {}, content }
    return [{ tag: 'usync', attrs: { ...query.attrs }, content: [{ tag: 'result', attrs: {} }, list] }]
  }
}

const mediaConnection = (hostname: string): BinaryNode => ({
  tag: 'media_conn',
  attrs: { auth: 'test-auth', ttl: '300', auth_ttl: '21600', max_buckets: '12' },
  content: [{ tag: 'host', attrs: { hostname } }],
})

function devicesOf(party: Party): BinaryNode {
  const companions = [...party.companions.values()].filter(({ removed }) => !removed)
  const list = [
    { tag: 'device', attrs: { id: '0' } },
    ...companions.map(({ id }) => ({ tag: 'device', attrs: { id: String(id), 'key-index': String(id) } })),
  ]
  return { tag: 'devices', attrs: {}, content: [{ tag: 'device-list', attrs: {}, content: list }] }
}

function collections(node: BinaryNode): BinaryNode[] {
  return childrenOf(childOf(node, 'sync'), 'collection').map(({ attrs }) => ({
    tag: 'collection',
    attrs: { name: attrs.name!, version: attrs.version ?? '0', type: 'result' },
  }))
}

/** The companion tells its keys, so that others can write to it. */
function keep(companion: Companion, node: BinaryNode): undefined {
  const list = childOf(node, 'list')
  if (list) {
    companion.registrationId = uintOf(node, 'registration', 4)!
    for (const key of childrenOf(list, 'key'))
      companion.oneTimeKeys.set(uintOf(key, 'id', 3)!, Buffer.from(bytesOf(key, 'value')!))
  }
  const signed = childOf(node, 'skey') ?? childOf(childOf(node, 'rotate'), 'skey')
  if (signed)
    companion.signedKey = {
      id: uintOf(signed, 'id', 3)!,
      key: Buffer.from(bytesOf(signed, 'value')!),
      signature: Buffer.from(bytesOf(signed, 'signature')!),
    }
  return undefined
}

/**
 * A stand-in of WhatsApp's server, on this machine only, against which the real library links, logs in, sends and
 * receives. It asserts how we read the protocol, not how WhatsApp's own server behaves.
 */

import { createHmac, randomBytes, randomInt } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { deflateSync } from 'node:zlib'
import {
  aesDecryptCTR,
  aesDecryptGCM,
  aesEncryptCTR,
  type BinaryNode,
  getBinaryNodeChildBuffer as bytesOf,
  Curve,
  getBinaryNodeChild as childOf,
  getBinaryNodeChildren as childrenOf,
  decodeBinaryNode,
  derivePairingCodeKey,
  encodeBinaryNode,
  hkdf,
  jidDecode,
  proto,
  getBinaryNodeChildUInt as uintOf,
} from 'baileys'
import { ProtocolAddress } from 'libsignal'
import { type WebSocket, WebSocketServer } from 'ws'
import { patchLibsignal } from '../../../src/links/whatsapp/linked/patch-libsignal.ts'
import { quietLibsignal } from '../../../src/links/whatsapp/linked/quiet-libsignal.ts'
import { MediaHost } from './media-host.ts'
import { type Heard, NoiseServer, newIdentity } from './noise.ts'
import { type Bundle, type Companion, Party, type PartyDraft } from './party.ts'
import { Queries } from './queries.ts'

quietLibsignal()
// Phones never had the fault that it mends.
patchLibsignal()

// The library leaves long timers behind, for which every test would wait.
const usualTimeout = globalThis.setTimeout
globalThis.setTimeout = Object.assign((work: () => void, ms?: number, ...given: never[]) => {
  const timer = usualTimeout(work, ms, ...given)
  if (ms !== undefined && ms >= 30_000) (timer as unknown as NodeJS.Timeout).unref()
  return timer
}, usualTimeout) as typeof setTimeout

const host = '@s.whatsapp.net'
const seconds = () => String(Math.floor(Date.now() / 1_000))
const newId = () => `3A${randomBytes(9).toString('hex').toUpperCase()}`

/** What the server does with a message that the gateway sends. */
export type Policy = {
  ack: boolean
  error?: number
  deliver: boolean
  read: boolean
  /** By which of its two names the recipient acknowledges. */
  receiptFrom: 'phone' | 'lid'
}

export type Outgoing = { id: string; to: string; plain: Map<string, proto.IMessage>; retry: number }

export type Connection = {
  socket: WebSocket
  send: (node: BinaryNode) => void
  clientKey: Buffer
  registration?: proto.ClientPayload.IDevicePairingRegistrationData
  account?: Party
  companion?: Companion
  loggedIn: boolean
  pairing?: {
    id: string
    account: Party
    companionId: number
    details: Uint8Array
    identity: Buffer
    noiseKey: Buffer
  }
  typed?: {
    phone: string
    wrapped: Buffer
    noiseKey: Buffer
    ref: Buffer
    account?: Party
    ours?: { public: Uint8Array; private: Uint8Array }
    theirs?: Buffer
  }
}

type Events = { outgoing: [Outgoing]; login: [Party]; receipt: [BinaryNode]; fault: [Error] }

export class WhatsAppStandin extends EventEmitter<Events> {
  policy: Policy = { ack: true, deliver: true, read: false, receiptFrom: 'phone' }
  /** Another policy for some messages. */
  policyFor: (outgoing: Outgoing) => Partial<Policy> = () => ({})
  /** Nobody may log in, for this reason. */
  refusal: string | undefined
  /** It never says that all that waited was handed over, and so the library holds everything back. */
  unending = false
  /** After a first scan it wants the code drawn again, with another secret. */
  wantsFreshSecret = false
  /** It makes no codes to type. */
  refusesCodes = false
  readonly #usedSecrets = new Set<string>()
  /** Kinds of queries that are never answered. */
  readonly silent = new Set<string>()
  /** How each connection introduced itself. */
  readonly payloads: proto.ClientPayload[] = []
  /** Every message that the gateway sent, in order, repeated ones too. */
  readonly outgoing: Outgoing[] = []
  /** What a recipient could not decrypt, and why. */
  readonly unreadable: { id: string; to: string; why: string }[] = []
  readonly media = new MediaHost()
  readonly #identity = newIdentity()
  readonly #parties = new Map<string, Party>()
  readonly #connections = new Set<Connection>()
  readonly #refs = new Map<string, Connection>()
  readonly #retries = new Map<string, number>()
  readonly #inbound = new Map<
    string,
    { contact: Party; message: proto.IMessage | Uint8Array; node: BinaryNode }
  >()
  readonly #superseded = new Set<string>()
  readonly #queries = new Queries(
    jid => this.party(jid),
    () => this.media.host,
  )
  #server: WebSocketServer | undefined

  async start(port = 0): Promise<string> {
    this.#server = new WebSocketServer({ host: '127.0.0.1', port, path: '/ws/chat' })
    await once(this.#server, 'listening')
    this.#server.on('connection', socket => this.#meet(socket))
    await this.media.start()
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/ws/chat`
  }

  stop(): void {
    for (const { socket } of this.#connections) socket.terminate()
    this.#server?.close()
    this.media.stop()
  }

  add(draft: PartyDraft): Party {
    const party = new Party(draft)
    this.#parties.set(party.phone, party)
    return party
  }

  party(jid: string): Party | undefined {
    const { user = '', server } = jidDecode(jid) ?? {}
    return server === 'lid'
      ? [...this.#parties.values()].find(({ lid }) => lid === user)
      : this.#parties.get(user)
  }

  get connections(): number {
    return this.#connections.size
  }

  connectionOf(account: Party): Connection | undefined {
    return [...this.#connections].find(one => one.account === account && one.loggedIn)
  }

  /** The owner of the account points the phone at the code. */
  scan(qr: string, account: Party): void {
    const [ref = '', noise = '', identity = '', secret = ''] = qr.split('#')[1]!.split(',')
    const connection = this.#refs.get(ref)
    if (!connection) throw new Error('nobody shows this code')
    if (this.wantsFreshSecret && !this.#usedSecrets.has(ref)) {
      this.#usedSecrets.add(ref).add(secret)
      connection.send({
        tag: 'notification',
        attrs: { from: host, type: 'companion_reg_refresh', id: newId(), t: seconds() },
      })
      return
    }
    if (this.#usedSecrets.has(secret)) return
    const [noiseKey, identityKey, adv] = [noise, identity, secret].map(text => Buffer.from(text, 'base64'))
    this.#offerPairing(connection, account, noiseKey!, identityKey!, adv!)
  }

  /** The owner types the code of eight characters into the phone. */
  async type(code: string, account: Party): Promise<void> {
    const asking = () => [...this.#connections].find(({ typed }) => typed?.phone === account.phone)
    // The code is known over there before the request for it has come here.
    for (let tries = 0; !asking() && tries < 500; tries += 1)
      await new Promise(resolve => setTimeout(resolve, 10))
    const connection = asking()
    const typed = connection?.typed
    if (!connection || !typed) throw new Error('nobody asked for a code')
    const key = await derivePairingCodeKey(code, typed.wrapped.subarray(0, 32))
    typed.theirs = aesDecryptCTR(typed.wrapped.subarray(48, 80), key, typed.wrapped.subarray(32, 48))
    typed.ours = Curve.generateKeyPair()
    typed.account = account
    const [salt, iv] = [randomBytes(32), randomBytes(16)]
    const wrapped = aesEncryptCTR(typed.ours.public, await derivePairingCodeKey(code, salt), iv)
    const content: BinaryNode[] = [
      {
        tag: 'link_code_pairing_wrapped_primary_ephemeral_pub',
        attrs: {},
        content: Buffer.concat([salt, iv, wrapped]),
      },
      { tag: 'primary_identity_pub', attrs: {}, content: account.identity.public },
      { tag: 'link_code_pairing_ref', attrs: {}, content: typed.ref },
    ]
    connection.send({
      tag: 'notification',
      attrs: { from: host, type: 'link_code_companion_reg', id: newId(), t: seconds() },
      content: [{ tag: 'link_code_companion_reg', attrs: { stage: 'primary_hello' }, content }],
    })
  }

  /** Somebody writes to the account. Resolves with the message's id. */
  async write(
    contact: Party,
    account: Party,
    /** Bytes stand for whatever a hostile program may put into the envelope. */
    message: proto.IMessage | Uint8Array,
    options: {
      id?: string
      by?: 'lid' | 'phone'
      corrupt?: boolean
      category?: string
      /** In a new session, though there is one. */
      fresh?: boolean
      /** Not handed over before `repeat`. */
      held?: boolean
    } = {},
  ): Promise<string> {
    const { id = newId(), by = 'lid', corrupt = false, category, fresh = false, held = false } = options
    const companion = [...account.companions.values()].findLast(({ removed }) => !removed)!
    const address = new ProtocolAddress(account.phone, companion.id)
    const { type, sealed } = await contact.encrypt(
      address,
      message,
      contact.knows(address) && !fresh ? undefined : bundleOf(companion),
    )
    if (corrupt) sealed[sealed.length - 12]! ^= 0xff
    const names: Record<string, string> =
      contact === account
        ? { from: account.phoneJid, ...(category !== undefined && { category }) }
        : by === 'lid'
          ? {
              from: contact.lidJid,
              ...(!contact.hidden && { sender_pn: contact.phoneJid }),
              addressing_mode: 'lid',
            }
          : { from: contact.phoneJid, sender_lid: contact.lidJid }
    const node: BinaryNode = {
      tag: 'message',
      attrs: { ...names, id, type: 'text', t: seconds(), notify: contact.name },
      content: [{ tag: 'enc', attrs: { v: '2', type }, content: sealed }],
    }
    this.#inbound.set(id, { contact, message, node })
    if (held) return id
    companion.pending.set(id, node)
    this.connectionOf(account)?.send(node)
    return id
  }

  /** The server hands over once more what it handed over before. */
  repeat(account: Party, id: string): void {
    const { node } = this.#inbound.get(id)!
    const companion = [...account.companions.values()].findLast(({ removed }) => !removed)!
    companion.pending.set(id, node)
    this.connectionOf(account)?.send(node)
  }

  receipt(
    account: Party,
    { id, to }: Pick<Outgoing, 'id' | 'to'>,
    type?: 'read',
    from: Policy['receiptFrom'] = 'phone',
  ): void {
    const party = this.party(to)!
    const attrs = {
      id,
      from: from === 'lid' ? party.lidJid : party.phoneJid,
      t: seconds(),
      ...(type && { type }),
    }
    this.#tell(account, { tag: 'receipt', attrs })
  }

  /** The owner removes the linked device on the phone. */
  unlink(account: Party): void {
    for (const companion of account.companions.values()) companion.removed = true
    this.endStream(account, { code: '401' }, [{ tag: 'conflict', attrs: { type: 'device_removed' } }])
  }

  endStream(account: Party, attrs: Record<string, string>, content?: BinaryNode[]): void {
    const connection = this.connectionOf(account)
    connection?.send({ tag: 'stream:error', attrs, ...(content && { content }) })
    setTimeout(() => connection?.socket.close(), 20)
  }

  drop(account: Party): void {
    this.connectionOf(account)?.socket.terminate()
  }

  #meet(socket: WebSocket): void {
    const noise = new NoiseServer(this.#identity)
    const connection: Connection = {
      socket,
      clientKey: Buffer.alloc(0),
      loggedIn: false,
      send: node => {
        if (socket.readyState === socket.OPEN) socket.send(noise.encode(encodeBinaryNode(node)))
      },
    }
    this.#connections.add(connection)
    socket.on('close', () => this.#connections.delete(connection))
    let chain = Promise.resolve()
    socket.on('message', (bytes: Buffer) => {
      chain = chain
        .then(async () => {
          for (const heard of noise.feed(bytes)) await this.#hear(connection, heard)
        })
        .catch((error: Error) => {
          this.emit('fault', error)
          socket.terminate()
        })
    })
  }

  async #hear(connection: Connection, heard: Heard): Promise<void> {
    if (heard.kind === 'reply') connection.socket.send(heard.bytes)
    else if (heard.kind === 'login') this.#admit(connection, heard.payload, heard.clientKey)
    else await this.#take(connection, await decodeBinaryNode(heard.bytes))
  }

  #admit(connection: Connection, payload: proto.ClientPayload, clientKey: Buffer): void {
    connection.clientKey = clientKey
    this.payloads.push(payload)
    if (payload.devicePairingData) {
      connection.registration = payload.devicePairingData
      const refs = Array.from({ length: 6 }, () => `2@${randomBytes(48).toString('base64')}`)
      for (const ref of refs) this.#refs.set(ref, connection)
      const content = refs.map(ref => ({ tag: 'ref', attrs: {}, content: Buffer.from(ref) }))
      connection.send({
        tag: 'iq',
        attrs: { from: host, type: 'set', id: newId(), xmlns: 'md' },
        content: [{ tag: 'pair-device', attrs: {}, content }],
      })
      return
    }
    if (this.refusal !== undefined) {
      connection.send({ tag: 'failure', attrs: { reason: this.refusal, location: 'cln' } })
      return
    }
    const account = this.#parties.get(String(payload.username))
    const companion = account?.companions.get(payload.device ?? 0)
    if (!account || !companion || companion.removed || !companion.noiseKey.equals(clientKey)) {
      connection.send({ tag: 'failure', attrs: { reason: '401', location: 'cln' } })
      return
    }
    for (const other of this.#connections)
      if (other !== connection && other.companion === companion && other.loggedIn) {
        other.loggedIn = false
        other.send({
          tag: 'stream:error',
          attrs: {},
          content: [{ tag: 'conflict', attrs: { type: 'replaced' } }],
        })
        setTimeout(() => other.socket.close(), 20)
      }
    Object.assign(connection, { account, companion, loggedIn: true })
    const lid = `${account.lid}:${companion.id}@lid`
    connection.send({ tag: 'success', attrs: { t: seconds(), props: '27', companion_enc_static: 'x', lid } })
    const waiting = [...companion.receipts.values(), ...companion.pending.values()]
    for (const [index, node] of waiting.entries())
      connection.send({ ...node, attrs: { ...node.attrs, offline: String(index) } })
    const offline = { tag: 'offline', attrs: { count: String(waiting.length) } }
    if (!this.unending) connection.send({ tag: 'ib', attrs: { from: host }, content: [offline] })
    this.emit('login', account)
  }

  #offerPairing(
    connection: Connection,
    account: Party,
    noiseKey: Buffer,
    identity: Buffer,
    secret: Buffer,
  ): void {
    if (!noiseKey.equals(connection.clientKey)) throw new Error('the code is not of this connection')
    const companionId = account.companions.size + 1
    const details = proto.ADVDeviceIdentity.encode({
      rawId: randomInt(1, 2 ** 31),
      timestamp: Number(seconds()),
      keyIndex: companionId,
    }).finish()
    const signed = proto.ADVSignedDeviceIdentity.encode({
      details,
      accountSignatureKey: account.identity.public,
      accountSignature: Curve.sign(
        account.identity.private,
        Buffer.concat([Buffer.from([6, 0]), details, identity]),
      ),
    }).finish()
    const hmac = createHmac('sha256', secret).update(signed).digest()
    const blob = Buffer.from(proto.ADVSignedDeviceIdentityHMAC.encode({ details: signed, hmac }).finish())
    const id = newId()
    connection.pairing = { id, account, companionId, details, identity, noiseKey }
    const [jid, lid] = [`${account.phone}:${companionId}${host}`, `${account.lid}:${companionId}@lid`]
    const content: BinaryNode[] = [
      { tag: 'device-identity', attrs: {}, content: blob },
      { tag: 'biz', attrs: { name: account.name } },
      { tag: 'device', attrs: { jid, lid } },
      { tag: 'platform', attrs: { name: 'android' } },
    ]
    connection.send({
      tag: 'iq',
      attrs: { from: host, type: 'set', id, xmlns: 'md' },
      content: [{ tag: 'pair-success', attrs: {}, content }],
    })
  }

  #finishPairing(connection: Connection): void {
    const { account, companionId, identity, noiseKey } = connection.pairing!
    account.companions.set(companionId, {
      id: companionId,
      noiseKey,
      identity,
      registrationId: 0,
      oneTimeKeys: new Map(),
      signedKey: undefined,
      pending: new Map(),
      receipts: new Map(),
      removed: false,
      hasHistory: false,
    })
    connection.send({ tag: 'stream:error', attrs: { code: '515' } })
    setTimeout(() => connection.socket.close(), 20)
  }

  async #take(connection: Connection, node: BinaryNode): Promise<void> {
    const { attrs, tag } = node
    if (tag === 'iq' && attrs.type === 'result') {
      if (connection.pairing?.id === attrs.id) this.#finishPairing(connection)
    } else if (tag === 'iq') await this.#answer(connection, node)
    else if (tag === 'message') await this.#carry(connection, node)
    else if (tag === 'receipt') await this.#receipted(connection, node)
    else if (tag === 'ack' && attrs.class === 'receipt')
      connection.companion?.receipts.delete(receiptKey(attrs))
    else if (tag === 'ack' && attrs.class === 'message') {
      // A refusal of the first copy is not one of the copy that was sent since.
      if (attrs.error && this.#superseded.delete(attrs.id!)) return
      connection.companion?.pending.delete(attrs.id!)
    }
  }

  async #receipted(connection: Connection, node: BinaryNode): Promise<void> {
    const { id = '', type, to = host } = node.attrs
    connection.companion?.pending.delete(id)
    if (type === 'retry') await this.#writeAgain(connection, node)
    connection.send({ tag: 'ack', attrs: { class: 'receipt', id, from: to, ...(type && { type }) } })
    this.emit('receipt', node)
  }

  async #answer(connection: Connection, node: BinaryNode): Promise<void> {
    const { id = '', xmlns = '' } = node.attrs
    if (this.silent.has(xmlns)) return
    if (this.refusesCodes && childOf(node, 'link_code_companion_reg')) {
      const error = { tag: 'error', attrs: { code: '400', text: 'bad-request' } }
      connection.send({ tag: 'iq', attrs: { from: host, type: 'error', id }, content: [error] })
      return
    }
    const content =
      xmlns === 'md' ? await this.#link(connection, node) : this.#queries.answer(connection, node)
    const attrs = { from: host, type: 'result', id }
    connection.send({ tag: 'iq', attrs, ...(content && { content }) })
    if (xmlns === 'passive') await this.#history(connection)
  }

  /** The parts of linking that are queries: removing the device, and the code that is typed. */
  async #link(connection: Connection, node: BinaryNode): Promise<BinaryNode[] | undefined> {
    if (childOf(node, 'remove-companion-device')) {
      connection.companion!.removed = true
      return undefined
    }
    const part = childOf(node, 'link_code_companion_reg')
    if (part?.attrs.stage === 'companion_hello') {
      const ref = randomBytes(16)
      connection.typed = {
        phone: jidDecode(part.attrs.jid)!.user,
        wrapped: Buffer.from(bytesOf(part, 'link_code_pairing_wrapped_companion_ephemeral_pub')!),
        noiseKey: Buffer.from(bytesOf(part, 'companion_server_auth_key_pub')!),
        ref,
      }
      const content = [{ tag: 'link_code_pairing_ref', attrs: {}, content: ref }]
      return [{ tag: 'link_code_companion_reg', attrs: { stage: 'companion_hello' }, content }]
    }
    if (part?.attrs.stage === 'companion_finish') this.#finishTyped(connection, part)
    return undefined
  }

  #finishTyped(connection: Connection, part: BinaryNode): void {
    const { ours, theirs, account, noiseKey } = connection.typed!
    const sealed = Buffer.from(bytesOf(part, 'link_code_pairing_wrapped_key_bundle')!)
    const shared = Curve.sharedKey(ours!.private, theirs!)
    const info = 'link_code_pairing_key_bundle_encryption_key'
    const key = Buffer.from(hkdf(shared, 32, { salt: sealed.subarray(0, 32), info }))
    const plain = aesDecryptGCM(sealed.subarray(44), key, sealed.subarray(32, 44), Buffer.alloc(0))
    const identity = Buffer.from(plain.subarray(0, 32))
    const random = plain.subarray(64, 96)
    const second = Curve.sharedKey(account!.identity.private, identity)
    const secret = Buffer.from(hkdf(Buffer.concat([shared, second, random]), 32, { info: 'adv_secret' }))
    setImmediate(() => this.#offerPairing(connection, account!, noiseKey, identity, secret))
  }

  async #carry(connection: Connection, node: BinaryNode): Promise<void> {
    const { account, companion } = connection
    const { id = '', to = '' } = node.attrs
    const outgoing: Outgoing = { id, to, plain: new Map(), retry: 0 }
    const participants = childOf(node, 'participants')
    const copies = participants
      ? childrenOf(participants, 'to').map(one => ({ jid: one.attrs.jid!, enc: childOf(one, 'enc') }))
      : [{ jid: to, enc: childOf(node, 'enc') }]
    const from = new ProtocolAddress(account!.phone, companion!.id)
    for (const { jid, enc } of copies) {
      const party = this.party(jid)
      if (!party || !enc) continue
      try {
        const message = await party.decrypt(from, enc.attrs.type!, enc.content as Uint8Array)
        outgoing.plain.set(jid, message)
        party.received.push({ id, from: account!.phone, message })
      } catch (error) {
        // A copy of what was read already is dropped in silence, as a phone does.
        const { message: why } = error as Error
        this.unreadable.push({ id, to: jid, why })
        const known = /old counter|Key used already/.test(why)
        const tries = this.#retries.get(id) ?? 0
        if (known || party === account || tries >= 5) continue
        this.#retries.set(id, tries + 1)
        outgoing.retry = tries + 1
      }
    }
    this.outgoing.push(outgoing)
    this.emit('outgoing', outgoing)
    this.#settle(connection, outgoing)
  }

  #settle(connection: Connection, outgoing: Outgoing): void {
    const policy = { ...this.policy, ...this.policyFor(outgoing) }
    if (!policy.ack) return
    const { id, to, retry } = outgoing
    const refused: Record<string, string> = policy.error === undefined ? {} : { error: String(policy.error) }
    connection.send({ tag: 'ack', attrs: { class: 'message', id, from: to, t: seconds(), ...refused } })
    if (policy.error !== undefined) return
    if (retry > 0) {
      this.#askAgain(connection, outgoing)
      return
    }
    if (policy.deliver) this.receipt(connection.account!, outgoing, undefined, policy.receiptFrom)
    if (policy.read) this.receipt(connection.account!, outgoing, 'read', policy.receiptFrom)
  }

  /** The recipient could not read it, and asks for it once more. */
  #askAgain(connection: Connection, { id, to, retry }: Outgoing): void {
    const party = this.party(to)!
    const attrs = { id, from: party.phoneJid, t: seconds(), type: 'retry' }
    const { registrationId } = party
    const content: BinaryNode[] = [
      { tag: 'retry', attrs: { count: String(retry), id, t: seconds(), v: '1' } },
      {
        tag: 'registration',
        attrs: {},
        content: Buffer.from([0, 0, registrationId >> 8, registrationId & 255]),
      },
    ]
    this.#tell(connection.account!, { tag: 'receipt', attrs, content })
  }

  /** A receipt is kept until it is acknowledged, as messages are. */
  #tell(account: Party, node: BinaryNode): void {
    const companion = [...account.companions.values()].findLast(({ removed }) => !removed)
    companion?.receipts.set(receiptKey(node.attrs), node)
    this.connectionOf(account)?.send(node)
  }

  /** The gateway could not read what somebody wrote: they write it again. */
  async #writeAgain(connection: Connection, node: BinaryNode): Promise<void> {
    const id = node.attrs.id!
    const written = this.#inbound.get(id)
    const count = Number(childOf(node, 'retry')?.attrs.count ?? 1)
    const { account, companion } = connection
    if (!written || count > 5 || !account || !companion) return
    const address = new ProtocolAddress(account.phone, companion.id)
    const keys = childOf(node, 'keys')
    // In a new session only if keys came along: a phone does not begin one for each message it is asked for.
    const bundle = keys
      ? bundleFrom(keys, companion.registrationId)
      : written.contact.knows(address)
        ? undefined
        : bundleOf(companion)
    const { type, sealed } = await written.contact.encrypt(address, written.message, bundle)
    const content = [{ tag: 'enc', attrs: { v: '2', type, count: String(count) }, content: sealed }]
    const again = { ...written.node, content }
    // It comes behind everything that was written before it.
    companion.pending.delete(id)
    companion.pending.set(id, again)
    this.#superseded.add(id)
    connection.send(again)
  }

  /** Our own phone tells its companion of earlier conversations: here, that there are none. */
  async #history(connection: Connection): Promise<void> {
    const { account, companion } = connection
    if (!account || !companion || companion.hasHistory) return
    companion.hasHistory = true
    const syncType = proto.HistorySync.HistorySyncType.INITIAL_BOOTSTRAP
    const contacts = [...this.#parties.values()].filter(party => party !== account)
    const history = proto.HistorySync.encode({
      syncType,
      conversations: [],
      progress: 100,
      phoneNumberToLidMappings: contacts.map(({ phoneJid, lidJid }) => ({ pnJid: phoneJid, lidJid })),
    }).finish()
    const historySyncNotification = {
      syncType,
      chunkOrder: 1,
      progress: 100,
      initialHistBootstrapInlinePayload: deflateSync(Buffer.from(history)),
    }
    const type = proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION
    const message = { protocolMessage: { type, historySyncNotification } }
    await this.write(account, account, message, { category: 'peer' })
  }
}

const receiptKey = ({ id, type }: BinaryNode['attrs']) => `${id}/${type ?? ''}`

function bundleOf(companion: Companion): Bundle {
  const [first] = companion.oneTimeKeys
  if (first) companion.oneTimeKeys.delete(first[0])
  return {
    registrationId: companion.registrationId,
    identity: companion.identity,
    signedKey: companion.signedKey!,
    oneTimeKey: first && { id: first[0], key: first[1] },
  }
}

function bundleFrom(keys: BinaryNode, registrationId: number): Bundle {
  const signed = childOf(keys, 'skey')!
  const key = childOf(keys, 'key')
  const bytes = (of: BinaryNode, name: string) => Buffer.from(bytesOf(of, name)!)
  return {
    registrationId,
    identity: bytes(keys, 'identity'),
    signedKey: {
      id: uintOf(signed, 'id', 3)!,
      key: bytes(signed, 'value'),
      signature: bytes(signed, 'signature'),
    },
    oneTimeKey: key && { id: uintOf(key, 'id', 3)!, key: bytes(key, 'value') },
  }
}

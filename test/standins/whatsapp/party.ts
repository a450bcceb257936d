/** Somebody with WhatsApp: keys, sessions, and what came to them. */

import { randomInt } from 'node:crypto'
import {
  type BinaryNode,
  Curve,
  encodeBigEndian,
  encodeWAMessage,
  generateSignalPubKey,
  type KeyPair,
  proto,
  signedKeyPair,
  unpadRandomMax16,
  xmppPreKey,
  xmppSignedPreKey,
} from 'baileys'
import * as libsignal from 'libsignal'

/** What one must know of a linked device to write to it. */
export type Bundle = {
  registrationId: number
  identity: Buffer
  signedKey: { id: number; key: Buffer; signature: Buffer }
  oneTimeKey: { id: number; key: Buffer } | undefined
}

/** A companion that was linked to an account: the gateway. */
export type Companion = {
  id: number
  noiseKey: Buffer
  identity: Buffer
  registrationId: number
  oneTimeKeys: Map<number, Buffer>
  signedKey: Bundle['signedKey'] | undefined
  /** Stanzas that it has not acknowledged: they come again at each login. */
  pending: Map<string, BinaryNode>
  /** Receipts that it has not acknowledged: they come again too. */
  receipts: Map<string, BinaryNode>
  removed: boolean
  hasHistory: boolean
}

export type PartyDraft = { phone: string; lid: string; name?: string; exists?: boolean; hidden?: boolean }

const signalPair = ({ public: pub, private: priv }: KeyPair) => ({
  privKey: Buffer.from(priv),
  pubKey: Buffer.from(generateSignalPubKey(pub)),
})

export class Party {
  readonly phone: string
  readonly lid: string
  readonly name: string
  exists: boolean
  /** Whoever they write to does not learn their number. */
  hidden: boolean
  readonly identity = Curve.generateKeyPair()
  readonly registrationId = randomInt(1, 16_380)
  readonly companions = new Map<number, Companion>()
  /** What this person could read, in order. */
  readonly received: { id: string; from: string; message: proto.IMessage }[] = []
  readonly #signedKey = signedKeyPair(this.identity, 1)
  readonly #oneTimeKeys = new Map<number, KeyPair>()
  readonly #sessions = new Map<string, unknown>()
  #nextKey = 1

  constructor({ phone, lid, name = '', exists = true, hidden = false }: PartyDraft) {
    this.phone = phone
    this.lid = lid
    this.name = name
    this.exists = exists
    this.hidden = hidden
  }

  get phoneJid(): string {
    return `${this.phone}@s.whatsapp.net`
  }

  get lidJid(): string {
    return `${this.lid}@lid`
  }

  /** The keys that a stranger needs to write to this person. */
  bundle(): BinaryNode[] {
    const id = this.#nextKey
    this.#nextKey += 1
    const pair = Curve.generateKeyPair()
    this.#oneTimeKeys.set(id, pair)
    return [
      { tag: 'registration', attrs: {}, content: encodeBigEndian(this.registrationId) },
      { tag: 'type', attrs: {}, content: Buffer.from([5]) },
      { tag: 'identity', attrs: {}, content: this.identity.public },
      xmppSignedPreKey(this.#signedKey),
      xmppPreKey(pair, id),
    ]
  }

  async decrypt(from: libsignal.ProtocolAddress, type: string, sealed: Uint8Array): Promise<proto.IMessage> {
    const cipher = new libsignal.SessionCipher(this.#store(), from)
    const bytes = Buffer.from(sealed)
    const plain = await (type === 'pkmsg'
      ? cipher.decryptPreKeyWhisperMessage(bytes)
      : cipher.decryptWhisperMessage(bytes))
    return proto.Message.decode(unpadRandomMax16(plain))
  }

  knows(address: libsignal.ProtocolAddress): boolean {
    return this.#sessions.has(address.toString())
  }

  async encrypt(
    to: libsignal.ProtocolAddress,
    message: proto.IMessage | Uint8Array,
    bundle: Bundle | undefined,
  ) {
    // An older session is put aside, not forgotten: what is under way in it can still be read.
    if (bundle) {
      const { registrationId, identity, signedKey, oneTimeKey } = bundle
      await new libsignal.SessionBuilder(this.#store(), to).initOutgoing({
        registrationId,
        identityKey: generateSignalPubKey(identity),
        signedPreKey: {
          keyId: signedKey.id,
          publicKey: generateSignalPubKey(signedKey.key),
          signature: signedKey.signature,
        },
        ...(oneTimeKey && {
          preKey: { keyId: oneTimeKey.id, publicKey: generateSignalPubKey(oneTimeKey.key) },
        }),
      })
    }
    const { type, body } = await new libsignal.SessionCipher(this.#store(), to).encrypt(
      message instanceof Uint8Array ? Buffer.from(message) : encodeWAMessage(message),
    )
    return { type: type === 3 ? 'pkmsg' : 'msg', sealed: Buffer.from(body, 'binary') }
  }

  #store(): object {
    return {
      loadSession: async (address: string) =>
        this.#sessions.has(address) ? libsignal.SessionRecord.deserialize(this.#sessions.get(address)) : null,
      storeSession: async (address: string, record: libsignal.SessionRecord) => {
        this.#sessions.set(address, record.serialize())
      },
      isTrustedIdentity: () => true,
      loadPreKey: async (id: number | string) => {
        const pair = this.#oneTimeKeys.get(Number(id))
        return pair && signalPair(pair)
      },
      removePreKey: async (id: number | string) => void this.#oneTimeKeys.delete(Number(id)),
      loadSignedPreKey: async () => signalPair(this.#signedKey.keyPair),
      getOurRegistrationId: () => this.registrationId,
      getOurIdentity: () => signalPair(this.identity),
    }
  }
}

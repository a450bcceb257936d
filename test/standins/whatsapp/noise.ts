/** The server's half of the handshake that WhatsApp's web socket begins with (Noise XX, AES-GCM). */

import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto'
import { Curve, type KeyPair, proto } from 'baileys'

const mode = Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0')
const header = Buffer.from([0x57, 0x41, 6, 3])
const nothing = Buffer.alloc(0)

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest()

function counterIv(count: number): Buffer {
  const iv = Buffer.alloc(12)
  iv.writeUInt32BE(count, 8)
  return iv
}

function seal(key: Buffer, count: number, bound: Buffer, plain: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, counterIv(count)).setAAD(bound)
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function unseal(key: Buffer, count: number, bound: Buffer, sealed: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, counterIv(count)).setAAD(bound)
  decipher.setAuthTag(sealed.subarray(-16))
  return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
}

/** Three bytes of length, then the content. */
const framed = (bytes: Buffer) =>
  Buffer.concat([Buffer.from([bytes.length >> 16, (bytes.length >> 8) & 255, bytes.length & 255]), bytes])

export type Identity = { staticKey: KeyPair; chain: Buffer }

/** A certificate chain of our own. The library checks less of it than one would think. */
export function newIdentity(): Identity {
  const [root, intermediate, staticKey] = [0, 1, 2].map(() => Curve.generateKeyPair()) as [
    KeyPair,
    KeyPair,
    KeyPair,
  ]
  const now = Math.floor(Date.now() / 1_000)
  const { Details } = proto.CertChain.NoiseCertificate
  const details = (serial: number, issuerSerial: number, key: Uint8Array) =>
    Details.encode({ serial, issuerSerial, key, notBefore: now - 60, notAfter: now + 86_400 }).finish()
  const middle = details(1, 0, intermediate.public)
  const leaf = details(2, 1, staticKey.public)
  const chain = proto.CertChain.encode({
    intermediate: { details: middle, signature: Curve.sign(root.private, middle) },
    leaf: { details: leaf, signature: Curve.sign(intermediate.private, leaf) },
  }).finish()
  return { staticKey, chain: Buffer.from(chain) }
}

/** What came out of the bytes of a client. */
export type Heard =
  | { kind: 'reply'; bytes: Buffer }
  | { kind: 'login'; payload: proto.ClientPayload; clientKey: Buffer }
  | { kind: 'frame'; bytes: Buffer }

export class NoiseServer {
  readonly #identity: Identity
  #input: Buffer = nothing
  #stage: 'intro' | 'hello' | 'finish' | 'transport' = 'intro'
  #hash: Buffer = mode
  #salt: Buffer = mode
  #key: Buffer = mode
  #count = 0
  #ephemeral: KeyPair | undefined
  #out = { key: nothing as Buffer, count: 0 }
  #in = { key: nothing as Buffer, count: 0 }

  constructor(identity: Identity) {
    this.#identity = identity
  }

  *feed(bytes: Buffer): Generator<Heard> {
    this.#input = Buffer.concat([this.#input, bytes])
    if (this.#stage === 'intro') {
      if (this.#input.length < header.length) return
      if (!this.#input.subarray(0, header.length).equals(header))
        throw new Error('this is no WhatsApp client')
      this.#input = this.#input.subarray(header.length)
      this.#mixHash(header)
      this.#stage = 'hello'
    }
    while (this.#input.length >= 3) {
      const length = (this.#input[0]! << 16) | (this.#input[1]! << 8) | this.#input[2]!
      if (this.#input.length < 3 + length) return
      const frame = this.#input.subarray(3, 3 + length)
      this.#input = this.#input.subarray(3 + length)
      yield this.#take(frame)
    }
  }

  encode(bytes: Uint8Array): Buffer {
    this.#out.count += 1
    return framed(seal(this.#out.key, this.#out.count - 1, nothing, bytes))
  }

  #take(frame: Buffer): Heard {
    if (this.#stage === 'hello') return this.#hello(frame)
    if (this.#stage === 'finish') return this.#finish(frame)
    this.#in.count += 1
    return { kind: 'frame', bytes: unseal(this.#in.key, this.#in.count - 1, nothing, frame) }
  }

  #hello(frame: Buffer): Heard {
    const theirs = Buffer.from(proto.HandshakeMessage.decode(frame).clientHello!.ephemeral!)
    const { staticKey, chain } = this.#identity
    this.#mixHash(theirs)
    this.#ephemeral = Curve.generateKeyPair()
    this.#mixHash(Buffer.from(this.#ephemeral.public))
    this.#mixKey(Curve.sharedKey(this.#ephemeral.private, theirs))
    const sealedStatic = this.#encrypt(staticKey.public)
    this.#mixKey(Curve.sharedKey(staticKey.private, theirs))
    const serverHello = {
      ephemeral: this.#ephemeral.public,
      static: sealedStatic,
      payload: this.#encrypt(chain),
    }
    this.#stage = 'finish'
    return {
      kind: 'reply',
      bytes: framed(Buffer.from(proto.HandshakeMessage.encode({ serverHello }).finish())),
    }
  }

  #finish(frame: Buffer): Heard {
    const { clientFinish } = proto.HandshakeMessage.decode(frame)
    const clientKey = this.#decrypt(Buffer.from(clientFinish!.static!))
    this.#mixKey(Curve.sharedKey(this.#ephemeral!.private, clientKey))
    const payload = this.#decrypt(Buffer.from(clientFinish!.payload!))
    const [inward, outward] = this.#derive(nothing)
    this.#in.key = inward
    this.#out.key = outward
    this.#stage = 'transport'
    return { kind: 'login', payload: proto.ClientPayload.decode(payload), clientKey }
  }

  #mixHash(bytes: Buffer): void {
    this.#hash = sha256(Buffer.concat([this.#hash, bytes]))
  }

  #derive(secret: Uint8Array): [Buffer, Buffer] {
    const bytes = Buffer.from(hkdfSync('sha256', secret, this.#salt, '', 64))
    return [bytes.subarray(0, 32), bytes.subarray(32)]
  }

  #mixKey(secret: Uint8Array): void {
    const [salt, key] = this.#derive(secret)
    this.#salt = salt
    this.#key = key
    this.#count = 0
  }

  #encrypt(plain: Uint8Array): Buffer {
    const sealed = seal(this.#key, this.#count, this.#hash, plain)
    this.#count += 1
    this.#mixHash(sealed)
    return sealed
  }

  #decrypt(sealed: Buffer): Buffer {
    const plain = unseal(this.#key, this.#count, this.#hash, sealed)
    this.#count += 1
    this.#mixHash(sealed)
    return plain
  }
}

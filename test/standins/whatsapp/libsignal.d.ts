/** What the stand-in needs of libsignal, which comes without types. */
declare module 'libsignal' {
  export class ProtocolAddress {
    constructor(name: string, deviceId: number)
    toString(): string
  }
  export class SessionRecord {
    static deserialize(data: unknown): SessionRecord
    serialize(): unknown
  }
  export class SessionBuilder {
    constructor(store: object, address: ProtocolAddress)
    initOutgoing(bundle: object): Promise<void>
  }
  export class SessionCipher {
    constructor(store: object, address: ProtocolAddress)
    encrypt(plain: Uint8Array): Promise<{ type: number; body: string }>
    decryptPreKeyWhisperMessage(sealed: Uint8Array): Promise<Buffer>
    decryptWhisperMessage(sealed: Uint8Array): Promise<Buffer>
  }
}

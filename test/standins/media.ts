/** A file of each kind that can be sent, small, and good enough to be known by its content. */

export const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
export const padded = (start: Buffer, size = 600) => Buffer.concat([start, Buffer.alloc(size)])

/** A file in a ZIP, stored and not packed. */
function zipOf(files: Record<string, string>): Buffer {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const data = Buffer.from(text)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(data.length, 18)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([hex('504b0304'), common, Buffer.from(name), data])
    const extra = Buffer.alloc(14)
    extra.writeUInt32LE(offset, 10)
    central.push(Buffer.concat([hex('504b0102 1400'), common, extra, Buffer.from(name)]))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  hex('504b0506').copy(end)
  end.writeUInt16LE(locals.length, 8)
  end.writeUInt16LE(locals.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directory, end])
}

const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'
export type Sample = { bytes: Buffer; type?: string; expected: string | undefined }

export const media: Record<string, Sample> = {
  'a.pdf': { bytes: Buffer.from('%PDF-1.7\n%âãÏÓ\n'), expected: 'document pdf' },
  'a.jpg': { bytes: padded(hex('ffd8ffe0 0010 4a46494600')), expected: 'image jpg' },
  'a.png': {
    bytes: Buffer.concat([
      hex(
        '89504e470d0a1a0a 0000000d 49484452 00000001000000010806000000 1f15c489 00000000 49454e44 ae426082',
      ),
    ]),
    expected: 'image png',
  },
  'a.gif': { bytes: padded(Buffer.from('GIF89a')), expected: 'image gif' },
  'a.webp': { bytes: padded(Buffer.from('RIFF\x24\x00\x00\x00WEBPVP8 ')), expected: 'image webp' },
  'a.mp4': {
    bytes: padded(hex('00000018 66747970 69736f6d 00000200 69736f6d 6d703432')),
    expected: 'video mp4',
  },
  'a.webm': { bytes: padded(hex('1a45dfa3 87 4282 84 7765626d')), expected: 'video webm' },
  'a.mp3': { bytes: padded(hex('fffb9064')), expected: 'audio mp3' },
  'a.ogg': {
    bytes: padded(
      Buffer.concat([
        hex('4f676753 0002 0000000000000000 00000000 00000000 00000000 01 13'),
        Buffer.from('OpusHead'),
      ]),
    ),
    expected: 'audio ogg',
  },
  'a.wav': { bytes: padded(Buffer.from('RIFF\x24\x00\x00\x00WAVEfmt ')), expected: 'audio wav' },
  'a.doc': { bytes: padded(hex('d0cf11e0a1b11ae1')), expected: 'document doc' },
  'unnamed-doc': {
    bytes: padded(hex('d0cf11e0a1b11ae1')),
    type: 'application/msword',
    expected: 'document doc',
  },
  'a.docx': {
    bytes: zipOf({
      '[Content_Types].xml': `<Types><Override PartName="/word/document.xml" ContentType="${word}"/></Types>`,
      'word/document.xml': '<w:document/>',
    }),
    expected: 'document docx',
  },
  'a.txt': { bytes: Buffer.from('Grüße\n'), expected: 'document txt' },
  plain: { bytes: Buffer.from('hello'), type: 'text/plain; charset=utf-8', expected: 'document txt' },
  'a.zip': { bytes: zipOf({ 'hello.txt': 'hello' }), expected: 'document zip' },
}

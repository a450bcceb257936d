/** File names that strangers chose, for people to read. */

/** Without folders, and without what could mislead a program or an eye. */
export const harmlessName = (name: string): string =>
  name.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}/\\:*?"<>|]/gu, '_')

/** With the extension that fits what it is. */
export const namedAs = (filename: string, extension: string): string =>
  filename.toLowerCase().endsWith(`.${extension}`) ? filename : `${filename || 'file'}.${extension}`

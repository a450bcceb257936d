/** The page that problems link to: docs/errors.md as HTML. */

import { readFileSync } from 'node:fs'

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const inline = (text: string) => escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')

/** Knows just what that document uses: headings, paragraphs, and fenced code without empty lines. */
function block(text: string): string {
  const heading = /^(#{1,2}) (.+)$/.exec(text)
  if (heading) {
    const level = heading[1]!.length
    const anchor = level === 2 ? ` id="${heading[2]}"` : ''
    return `<h${level}${anchor}>${inline(heading[2]!)}</h${level}>`
  }
  const fence = /^```\w*\n([\s\S]*)\n```$/.exec(text)
  return fence ? `<pre><code>${escaped(fence[1]!)}</code></pre>` : `<p>${inline(text)}</p>`
}

export function errorsPage(): string {
  const source = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
  const blocks = source.trim().split(/\n{2,}/)
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<title>Basestation errors</title>',
    '<link rel="icon" href="data:,">',
    '<link rel="stylesheet" href="assets/errors.css">',
    '</head>',
    '<body>',
    '<main>',
    ...blocks.map(block),
    '</main>',
    '</body>',
    '</html>',
  ].join('\n')
}

/** Addresses and networks, as people write them into allow-lists: `10.0.0.7`, `10.0.0.0/8`, `2001:db8::/32`. */

import { BlockList, isIP, isIPv6 } from 'node:net'

const form = /^[^/]+(\/\d{1,3})?$/

export function isNetwork(entry: string): boolean {
  if (!form.test(entry) || isIP(entry.split('/')[0]!) === 0) return false
  try {
    addNetwork(new BlockList(), entry)
    return true
  } catch {
    return false
  }
}

/** Throws when the entry is neither an address nor a network. */
export function addNetwork(list: BlockList, entry: string): void {
  if (!form.test(entry)) throw new Error(`“${entry}” is neither an address nor a network`)
  const [address = '', bits] = entry.split('/')
  const family = isIPv6(address) ? 'ipv6' : 'ipv4'
  if (bits === undefined) list.addAddress(address, family)
  else list.addSubnet(address, Number(bits), family)
}

export const holds = (list: BlockList, address: string): boolean =>
  list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

/** Whether all of a network lies within one of the others. */
export function isWithin(entry: string, networks: readonly string[]): boolean {
  const [address = '', bits] = entry.split('/')
  return networks.some(network => {
    const [outer = '', outerBits] = network.split('/')
    if (isIPv6(address) !== isIPv6(outer)) return false
    const whole = isIPv6(outer) ? 128 : 32
    const list = new BlockList()
    addNetwork(list, network)
    return Number(bits ?? whole) >= Number(outerBits ?? whole) && holds(list, address)
  })
}

/** Whoever has one IPv6 address has 2^64 of them: what counts as one place is the first half. */
export function placeOfAddress(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address
  const [head = '', tail] = address.split('%')[0]!.split('::')
  const groups = (half: string) => half.split(':').filter(part => part !== '')
  const [left, right] = [groups(head), groups(tail ?? '')]
  const zeros = tail === undefined ? [] : Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}

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

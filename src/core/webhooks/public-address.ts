/** Which network addresses belong to the public internet. */

import { BlockList, isIP } from 'node:net'
import { addNetwork, holds } from '../access/network.ts'

/** The special-purpose registries: private, loopback, link-local, documentation, multicast, translation and the like. */
const networks = `
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
  192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
  ::/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16
  fc00::/7 fe80::/10 fec0::/10 ff00::/8`

// BlockList reads ::ffff:a.b.c.d as IPv4 by itself, but not the older ::a.b.c.d: hence ::/96 in the list.
const special = new BlockList()
for (const network of networks.trim().split(/\s+/)) addNetwork(special, network)

/** What is no address at all is not a public one. */
export const isPublicAddress = (address: string): boolean => isIP(address) !== 0 && !holds(special, address)

/** Whether a host, without the brackets of IPv6, is certainly not on the public internet. Names are looked up later. */
export const isPrivateHost = (host: string): boolean =>
  (isIP(host) !== 0 && !isPublicAddress(host)) || /(^|\.)localhost\.?$/i.test(host)

/** Hosts that the operator vouches for: they may be private, and plain http. */

/** `host` or `host:port`, in small letters, without the brackets that addresses of IPv6 wear. */
export type AllowedHosts = ReadonlySet<string>

export const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80)

/** The name without the brackets that addresses of IPv6 wear. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

export function isAllowedHost(url: URL, allowed: AllowedHosts): boolean {
  const host = hostOf(url).toLowerCase()
  return [host, `${host}:${portOf(url)}`, `[${host}]`, `[${host}]:${portOf(url)}`].some(one =>
    allowed.has(one),
  )
}

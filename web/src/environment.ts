/** Which environment the page is about, and the way to its API. */

import { createContext, useContext } from 'react'
import { apiPaths, Basestation } from '../../sdk/src/index.ts'
import { onRefused } from './password-asked.ts'

export type Environment = 'production' | 'staging'
export const environments: readonly Environment[] = ['production', 'staging']

/** Seconds. Somebody waits: a refusal that lasts longer is shown at once. */
const longestWait = 2
const clientOf = (environment: Environment) =>
  new Basestation({ url: location.origin + apiPaths[environment], longestWait, onRefused })
const clients: Record<Environment, Basestation> = {
  production: clientOf('production'),
  staging: clientOf('staging'),
}

export const apiOf = (environment: Environment): Basestation => clients[environment]
/** As programs would write it. */
export const baseOf = (publicUrl: string, environment: Environment): string =>
  publicUrl + apiPaths[environment]
export const mediaUrl = (environment: Environment, id: string): string =>
  `${apiPaths[environment]}/media/${encodeURIComponent(id)}`

export const EnvironmentContext = createContext<Environment>('production')
export const useEnvironment = (): Environment => useContext(EnvironmentContext)
export const useApi = (): Basestation => clients[useEnvironment()]

const name = 'basestation.environment'
export const rememberEnvironment = (environment: Environment): void => localStorage.setItem(name, environment)
export const rememberedEnvironment = (): Environment | undefined =>
  environments.find(one => one === localStorage.getItem(name))

/** Starts the dashboard. */

import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { Boundary } from './parts/boundary.tsx'
import { Toasts } from './parts/toast.tsx'
import { queryClient } from './query-client.ts'
import { applyTheme } from './theme.ts'
import './styles/base.css'
import './styles/shell.css'
import './styles/parts.css'
import './styles/pages.css'

applyTheme()
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Toasts>
        <Boundary>
          <App />
        </Boundary>
      </Toasts>
    </QueryClientProvider>
  </StrictMode>,
)

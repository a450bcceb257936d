/** The foot of a list that goes on. */

import { Button } from './button.tsx'

type Pages = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> }

export const More = ({ query, label = 'Show older ones' }: { query: Pages; label?: string }) =>
  query.hasNextPage && (
    <div className="row list-foot">
      <Button look="quiet" isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {label}
      </Button>
    </div>
  )

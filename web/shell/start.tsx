import { QueryClientProvider } from '@tanstack/react-query';
import { Component, type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from '../api/query-client.ts';
import { Failure } from '../ui/empty-state.tsx';
import { Toasts } from '../ui/toast.tsx';

/**
 * Renders an application into its index.html.
 * @param brokenTitle the title of the page if the shell itself fails
 */
export function start(brokenTitle: string, application: ReactNode): void {
  const root = document.getElementById('root');
  if (root === null) throw new TypeError('index.html has no #root');
  createRoot(root).render(
    <StrictMode>
      <LastResort title={brokenTitle}>
        <QueryClientProvider client={queryClient}>
          {application}
          <Toasts />
        </QueryClientProvider>
      </LastResort>
    </StrictMode>,
  );
}

class LastResort extends Component<{ title: string; children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    if (!this.state.isBroken) return this.props.children;
    return (
      <main>
        <Failure title={this.props.title} onRetry={() => location.reload()}>
          Your data is safe on the server. Reload the page.
        </Failure>
      </main>
    );
  }
}

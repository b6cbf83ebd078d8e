import { Component, type ReactNode } from 'react';
import { Failure } from './empty-state.tsx';

/** When the shell itself breaks. */
export class LastResort extends Component<{ title: string; children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    if (!this.state.isBroken) return this.props.children;
    return (
      <main>
        <Failure title={this.props.title} onRetry={() => location.reload()}>
          Nothing is lost: what you see here is a view of the server. Reload it.
        </Failure>
      </main>
    );
  }
}

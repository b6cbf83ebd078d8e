import { useQuery, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { RequiredSignIn } from '../settings/required-sign-in.tsx';
import { Loaded } from '../../../shell/loaded.tsx';
import { operatorSignInQuery } from './queries.ts';

/** The sign-in that the installation requires of its operators. */
export default function SignIn() {
  const queries = useQueryClient();
  return (
    <Loaded query={useQuery(operatorSignInQuery)}>
      {({ required }) => (
        <div className="max-w-3xl">
          <RequiredSignIn
            key={required}
            of="operators"
            required={required}
            mayChange
            save={(next) => dataOf(api.PUT('/system/required-sign-in', { body: { required: next } }))}
            onSaved={() => queries.invalidateQueries({ queryKey: operatorSignInQuery.queryKey })}
          />
        </div>
      )}
    </Loaded>
  );
}

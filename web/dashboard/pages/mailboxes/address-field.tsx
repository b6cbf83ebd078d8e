import { useQuery } from '@tanstack/react-query';
import { Field, Input, Select } from '../../../ui/field.tsx';
import { domainsQuery } from './queries.ts';

export interface AddressDraft {
  localPart: string;
  /** The id of the domain. Empty for the default: the project's first domain, or the hosted domain. */
  domainId: string;
}

interface AddressFieldProps {
  project: string;
  value: AddressDraft;
  onChange(value: AddressDraft): void;
  errors: Readonly<Record<string, string>>;
  placeholder: string;
}

/** The domains that an address can use: first the project's own domains, then the hosted domain. */
export function useAddressDomains(project: string) {
  const { data } = useQuery(domainsQuery(project));
  const domains = data?.data ?? [];
  return [...domains.filter(({ is_hosted }) => !is_hosted), ...domains.filter(({ is_hosted }) => is_hosted)];
}

/** The fields for the local part and the domain of an address. */
export function AddressField({ project, value, onChange, errors, placeholder }: AddressFieldProps) {
  const domains = useAddressDomains(project);
  const domainId = value.domainId === '' ? (domains[0]?.id ?? '') : value.domainId;
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 gap-y-4 sm:grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)]">
      <Field label="Address" error={errors['local_part']} className="max-sm:col-span-2">
        <Input
          required
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          placeholder={placeholder}
          value={value.localPart}
          onChange={(event) => onChange({ ...value, localPart: event.target.value })}
        />
      </Field>
      <span aria-hidden="true" className="mt-9 text-muted sm:mt-7.5">
        @
      </span>
      <Field label="Domain" error={errors['domain_id']}>
        <Select value={domainId} onChange={(event) => onChange({ ...value, domainId: event.target.value })}>
          {domains.map(({ id, domain }) => (
            <option key={id} value={id}>
              {domain}
            </option>
          ))}
        </Select>
      </Field>
    </div>
  );
}

/** The address in the API's format. A complete address typed as local part also selects its domain, if listed in `domains`. */
export function addressOf(
  { localPart, domainId }: AddressDraft,
  domains: readonly { id: string; domain: string }[],
) {
  const [local = '', typed] = localPart.trim().split('@');
  const named =
    typed === undefined ? undefined : domains.find(({ domain }) => domain === typed.toLowerCase());
  const chosen = named?.id ?? (domainId === '' ? (domains[0]?.id ?? '') : domainId);
  return {
    domain_id: chosen,
    local_part: typed === undefined || named !== undefined ? local : localPart.trim(),
  };
}

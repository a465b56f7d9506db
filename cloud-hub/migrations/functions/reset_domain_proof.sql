-- A changed domain is a new claim: it needs a new proof, and trust in the provider's addresses ends with the old one.
create or replace function reset_domain_proof()
returns trigger
language plpgsql
as $$
begin
  new.domain_token := replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  new.domain_verified_at := null;
  new.domain_proof := null;
  new.trust_email := false;
  return new;
end $$;
create or replace trigger reset_domain_proof
  before update of domain on sso_configs
  for each row
  when (lower(old.domain) <> lower(new.domain))
  execute function reset_domain_proof();

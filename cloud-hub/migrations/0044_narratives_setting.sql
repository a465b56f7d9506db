-- An admin changes it; row-level security limits the statement to the own tenant.
grant update (narratives_enabled) on tenants to haltless_app;
